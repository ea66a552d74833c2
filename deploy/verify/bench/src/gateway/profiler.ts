import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Loaded before a gateway: profiles its processor time until it stops, into the file that `BENCH_PROFILE` names. */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
process.on('exit', () => {
  session.post('Profiler.stop', (_error, { profile }) => {
    writeFileSync(process.env['BENCH_PROFILE']!, JSON.stringify(profile));
  });
});
