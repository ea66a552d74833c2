import { tooDeep, tooMany } from '@waymark/contract/problems';
import { AppError, invalid } from '../errors.js';

/** Far above the needs of any field, and far below the depth that a recursion over the value can handle. */
const DEPTH_MAX = 64;
/** A body of 64 kB that is one array of digits exceeds this; no field needs as many values. */
const VALUES_MAX = 20_000;

/** RFC 8259, 8.1: UTF-8 only; a byte order mark may be ignored. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON whose cost is bounded first: a few bytes for each value, and the length of the text.
 * @throws AppError `validation_failed` beyond the limits, `bad_request` for what is not JSON in UTF-8
 */
export function parseJson(bytes: Uint8Array, valuesMax = VALUES_MAX): unknown {
  checkLimits(bytes, valuesMax);
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch (error) {
    throw new AppError('bad_request', 'The body is not valid JSON.', { cause: error });
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}`: each pair differs in this bit alone. */
const BRACE_BIT = 0x20;
const [OPEN, CLOSE] = [0x7b, 0x7d];

/** Checks the limits in one pass over the bytes, without allocating; a text that is not JSON may pass. */
function checkLimits(bytes: Uint8Array, valuesMax: number): void {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) values += 1;
    else if ((byte | BRACE_BIT) === OPEN) {
      depth += 1;
      values += 1;
    } else if ((byte | BRACE_BIT) === CLOSE) depth -= 1;
    if (depth > DEPTH_MAX) throw invalid({ body: [tooDeep('body', DEPTH_MAX)] });
    if (values > valuesMax) throw invalid({ body: [tooMany('body', valuesMax, 'values')] });
  }
}

/** The index of the quote that closes the string which starts here. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
