import { REQUESTERS } from '@waymark/contract/queues';
import * as requests from '@waymark/contract/requests';

test('every question has a queue, and rights for the services that ask it', () => {
  const names = Object.values(requests).flatMap((value) => (typeof value === 'object' ? [value.name] : []));
  expect(Object.keys(REQUESTERS).sort()).toEqual(names.sort());
});
