import { ImportPace } from '../src/imports/import-pace.js';

let now = 0;
let pace: ImportPace;
beforeEach(() => {
  now = 0;
  pace = new ImportPace(3, () => now);
});

const paceOf = (workspace: string) => [pace.rowsFor(workspace), pace.restMs(workspace, 100)];
const FAST = [100, 0];
const BESIDE_OTHERS = [5, 300];

test('an import that is alone takes whole chunks and does not rest', () => {
  expect(paceOf('acme')).toEqual(FAST);
});

test('the requests of its own workspace do not slow it down', () => {
  for (let request = 0; request < 3; request += 1) pace.noteRequest('acme');
  expect(paceOf('acme')).toEqual(FAST);
});

test('beside others it takes small steps, and rests three times as long as it works', () => {
  pace.noteRequest('globex');
  expect(paceOf('acme')).toEqual(BESIDE_OTHERS);
});

test('others are there until two seconds after their last request', () => {
  pace.noteRequest('globex');
  now = 1000;
  for (let request = 0; request < 3; request += 1) pace.noteRequest('acme');
  expect(paceOf('acme')).toEqual(BESIDE_OTHERS);
  expect(paceOf('globex')).toEqual(BESIDE_OTHERS);
  now = 2001;
  expect(paceOf('acme')).toEqual(FAST);
  expect(paceOf('globex')).toEqual(BESIDE_OTHERS);
});

test('a rest ratio of 0 keeps it at full speed beside others', () => {
  pace = new ImportPace(0, () => now);
  pace.noteRequest('globex');
  expect(paceOf('acme')).toEqual(FAST);
});

test('it never rests longer than five seconds', () => {
  pace.noteRequest('globex');
  expect(pace.restMs('acme', 60_000)).toBe(5000);
});
