import { prepare } from './prepare.mjs';

// npm run setup: everything that the other commands need, installed and built.
await prepare();
