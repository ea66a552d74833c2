export async function metricOf(opsPort: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}{`))
      ?.split(' ')[1],
  );
}
