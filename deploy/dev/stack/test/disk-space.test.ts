import { tmpdir } from 'node:os';
import { requireDiskSpace } from '@waymark/stack/disk-space';

test('a disk without enough space is refused with what is needed and what to do', () => {
  expect(() => requireDiskSpace(tmpdir(), 1e18)).toThrow(
    /^not enough disk space in \S+: 1000000000\.0 GB are needed, \d+\.\d GB are free; .* set XDG_CACHE_HOME/,
  );
});

test('a disk with enough space is accepted', () => {
  expect(() => requireDiskSpace(tmpdir(), 1)).not.toThrow();
});
