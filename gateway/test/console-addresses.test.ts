import { hostNameOf, withScheme } from '../console/src/format/addresses.js';
import { completeAddresses } from '../console/src/pages/import/complete-addresses.js';

test.each([
  ['example.com/page', 'https://example.com/page'],
  [' www.example.com ', 'https://www.example.com'],
  ['//example.com/x', 'https://example.com/x'],
  ['shop.example.com:8443/path', 'https://shop.example.com:8443/path'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['localhost:3000', 'https://localhost:3000'],
  ['example.com?next=https://other.example', 'https://example.com?next=https://other.example'],
  ['http://example.com', 'http://example.com'],
  ['HTTPS://example.com', 'HTTPS://example.com'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['mailto:someone@example.com', 'mailto:someone@example.com'],
  ['/relative', '/relative'],
  ['', ''],
])('completes the typed address %p to %p', (typed, address) => {
  expect(withScheme(typed)).toBe(address);
});

test.each([
  ['https://go.example.com/', 'go.example.com'],
  [' HTTP://go.example.com// ', 'go.example.com'],
  ['//go.example.com', 'go.example.com'],
  ['go.example.com', 'go.example.com'],
  ['go.example.com/path', 'go.example.com/path'],
])('takes the host name of %p for %p', (typed, host) => {
  expect(hostNameOf(typed)).toBe(host);
});

test.each([
  [
    'title,destination_url\nexample.com,www.example.com\nx,https://e.example/1\n',
    'title,destination_url\nexample.com,https://www.example.com\nx,https://e.example/1\n',
  ],
  [
    '"destination_url";title\r\n"e.example/?a=""b"";c";"two\r\nlines"\r\n',
    '"destination_url";title\r\n"https://e.example/?a=""b"";c";"two\r\nlines"\r\n',
  ],
  ['destination_url\tx\nlocalhost:3000/x\t1', 'destination_url\tx\nhttps://localhost:3000/x\t1'],
  ['destination_url\n\nexample.com', 'destination_url\n\nhttps://example.com'],
  ['title\nexample.com', 'title\nexample.com'],
  ['destination_url\n"example.com', 'destination_url\n"example.com'],
  ['', ''],
])('completes the destinations of the file %p', (csv, completed) => {
  expect(completeAddresses(csv)).toBe(completed);
});
