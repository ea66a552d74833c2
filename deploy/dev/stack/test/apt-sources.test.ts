import { chooseMirror } from '@waymark/stack/apt-sources';

test('the mirror is the archive with the main component, not the security one', () => {
  const targets = [
    'http://mirror.invalid/debian-security/ bookworm-security bookworm-security main',
    'http://mirror.invalid/debian/ bookworm bookworm contrib',
    'http://mirror.invalid/debian/ bookworm bookworm main',
  ];
  expect(chooseMirror(targets.join('\n'))).toBe('http://mirror.invalid/debian/');
});

test('a machine without sources has no mirror', () => {
  expect(chooseMirror('')).toBeUndefined();
});
