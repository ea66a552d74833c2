import { describeApi } from './api.js';

describeApi('qr');
