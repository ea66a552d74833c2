import type { Dimension, QrDimension } from '@waymark/contract/analytics';

const LINK_OF = 'qr_code' satisfies QrDimension;

/** The QR deployment calls links QR codes. */
export const linkDimension = (name: QrDimension): Dimension => (name === LINK_OF ? 'link' : name);
export const qrDimension = (name: string): string => (name === 'link' ? LINK_OF : name);
