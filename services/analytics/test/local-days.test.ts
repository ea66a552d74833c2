import { dateOfDay, dayNumber, hoursOf, localDate, localDays } from '@waymark/analytics/time/local-days';

const bounds = (zone: string, start: string, end = start) => {
  const { startsAt, endsAt } = localDays(zone, start, end);
  return [startsAt.toISOString(), endsAt.toISOString()];
};
const hours = (zone: string, date: string) => {
  const { startsAt, endsAt } = localDays(zone, date, date);
  return (endsAt.getTime() - startsAt.getTime()) / 3_600_000;
};

test.each([
  ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-01', '2026-02-28T18:30:00.000Z', '2026-03-01T18:30:00.000Z'],
  ['Asia/Kathmandu', '2026-03-01', '2026-02-28T18:15:00.000Z', '2026-03-01T18:15:00.000Z'],
  ['Australia/Eucla', '2026-03-01', '2026-02-28T15:15:00.000Z', '2026-03-01T15:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-03-01', '2026-02-28T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ['America/St_Johns', '2026-01-10', '2026-01-10T03:30:00.000Z', '2026-01-11T03:30:00.000Z'],
])('in %s the day %s begins and ends at local midnight', (zone, date, from, to) => {
  expect(bounds(zone, date)).toEqual([from, to]);
});

test('the day in New York when daylight saving begins has 23 hours', () => {
  expect(bounds('America/New_York', '2026-03-08')).toEqual(['2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z']);
  expect(hours('America/New_York', '2026-03-08')).toBe(23);
});

test('the day in New York when daylight saving ends has 25 hours', () => {
  expect(bounds('America/New_York', '2026-11-01')).toEqual(['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z']);
  expect(hours('America/New_York', '2026-11-01')).toBe(25);
});

test('daylight saving on Lord Howe Island is half an hour', () => {
  expect(hours('Australia/Lord_Howe', '2026-10-04')).toBe(23.5);
  expect(hours('Australia/Lord_Howe', '2026-04-05')).toBe(24.5);
});

test('a day begins at 01:00 when daylight saving skips midnight', () => {
  expect(bounds('Africa/Cairo', '2026-04-24')).toEqual(['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z']);
});

test('the hour before midnight belongs to the previous day when the clock goes back at midnight', () => {
  // Beirut turns the clock back from 00:00 to 23:00.
  expect(hours('Asia/Beirut', '2026-10-24')).toBe(25);
  expect(hours('Asia/Beirut', '2026-10-25')).toBe(24);
});

test('a day that a time zone skips is empty', () => {
  expect(hours('Pacific/Apia', '2011-12-30')).toBe(0);
});

test('a day that begins when the clock goes forward by half an hour has no hour before it', () => {
  // Pyongyang: 23:30 became 00:00.
  const all = hoursOf(localDays('Asia/Pyongyang', '2018-05-05', '2018-05-05'));
  expect([all.length, all[0]!.startsAt.toISOString(), dateOfDay(all[0]!.day), all[0]!.hour]).toEqual([
    24,
    '2018-05-04T15:00:00.000Z',
    '2018-05-05',
    0,
  ]);
});

test('a range over both clock changes has one period per offset', () => {
  const { periods } = localDays('Europe/Berlin', '2026-01-01', '2026-12-31');
  expect(periods.map(({ offsetMs }) => offsetMs / 3_600_000)).toEqual([1, 2, 1]);
  expect(periods.map(({ to }) => new Date(to).toISOString()).slice(0, 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
  ]);
});

/** Returns the UTC offset of a zone as `Intl` prints it. */
function offsetMs(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)!;
  const minutesAhead = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return (sign === '-' ? -1 : 1) * minutesAhead * 60_000;
}

test.each(Intl.supportedValuesOf('timeZone'))('every day of a year in %s ends where the next begins', (zone) => {
  const year = localDays(zone, '2026-01-01', '2026-12-31');
  // A zone that abolishes its winter time has a shorter year, e.g. Vancouver.
  const shift = offsetMs(zone, year.startsAt) - offsetMs(zone, year.endsAt);
  expect(year.endsAt.getTime() - year.startsAt.getTime()).toBe(365 * 24 * 3_600_000 + shift);
  expect(year.startsAt.getTime() % (15 * 60_000)).toBe(0);
  for (const { from } of year.periods.slice(1)) {
    const day = dateOfDay(Math.floor(from / 86_400_000));
    const [here, next] = [
      localDays(zone, day, day),
      localDays(zone, dateOfDay(dayNumber(day) + 1), dateOfDay(dayNumber(day) + 1)),
    ];
    expect(here.endsAt).toEqual(next.startsAt);
  }
});

test("localDate returns today's date in the time zone", () => {
  const moment = new Date('2026-03-01T20:00:00.000Z');
  expect(localDate('UTC', moment)).toBe('2026-03-01');
  expect(localDate('Asia/Tokyo', moment)).toBe('2026-03-02');
  expect(localDate('America/Los_Angeles', new Date('2026-03-01T02:00:00.000Z'))).toBe('2026-02-28');
});

test('every spelling of a time zone shares the cached periods', () => {
  const { periods } = localDays('Europe/Berlin', '2026-03-01', '2026-03-31');
  expect(localDays('EUROPE/berlin', '2026-03-01', '2026-03-31').periods).toBe(periods);
  expect(localDays('utc', '2026-03-01', '2026-03-31').periods).toHaveLength(1);
});
