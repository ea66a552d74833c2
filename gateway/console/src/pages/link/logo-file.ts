/** What the server stores, see the `logo_url` of a style. */
const TYPES = ['image/png', 'image/jpeg'];
const BYTES_MAX = 64 * 1024;
const SIDE_MAX = 2048;

export type LogoProblem = 'type' | 'size' | 'pixels' | 'broken';

/** Returns the picture as a data URL, or the reason why it cannot be a logo. */
export async function readLogoFile(file: File): Promise<{ dataUrl: string } | { problem: LogoProblem }> {
  if (!TYPES.includes(file.type)) return { problem: 'type' };
  if (file.size > BYTES_MAX) return { problem: 'size' };
  try {
    const picture = await createImageBitmap(file);
    const side = Math.max(picture.width, picture.height);
    picture.close();
    return side > SIDE_MAX ? { problem: 'pixels' } : { dataUrl: await readAsDataUrl(file) };
  } catch {
    return { problem: 'broken' };
  }
}

const readAsDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });
