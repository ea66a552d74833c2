import { can } from '../../app/session.js';
import { contentRoute, isQr } from '../../config/config.js';

export const mayChange = (): boolean => can(contentRoute('bulk')) || can(contentRoute('update'));
export const mayReadWeeks = (): boolean => can(isQr ? 'analytics.qr_codes' : 'analytics.links');
