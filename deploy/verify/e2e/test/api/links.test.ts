import { describeApi } from './api.js';

describeApi('links');
