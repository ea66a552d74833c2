import { z } from 'zod';

/** One installation serves either tracked links or tracked QR codes. */
export const deployment = z.enum(['links', 'qr']);
export type Deployment = z.infer<typeof deployment>;
