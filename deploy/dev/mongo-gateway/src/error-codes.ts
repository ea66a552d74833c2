/** SQLSTATEs of DocumentDB and PostgreSQL that an application may meet, as MongoDB's codes and names. */
const CODES: Record<string, [code: number, name: string]> = {
  M0000: [1, 'InternalError'],
  M0001: [2, 'BadValue'],
  M0003: [9, 'FailedToParse'],
  M0004: [14, 'TypeMismatch'],
  M0005: [15, 'Overflow'],
  M0006: [20, 'IllegalOperation'],
  M0008: [26, 'NamespaceNotFound'],
  M0009: [27, 'IndexNotFound'],
  M000A: [28, 'PathNotViable'],
  M000D: [40, 'ConflictingUpdateOperators'],
  M000E: [43, 'CursorNotFound'],
  M000F: [48, 'NamespaceExists'],
  M000G: [52, 'DollarPrefixedFieldName'],
  M000J: [56, 'EmptyFieldName'],
  M000K: [57, 'DottedFieldName'],
  M000M: [66, 'ImmutableField'],
  M000N: [67, 'CannotCreateIndex'],
  M000O: [68, 'IndexAlreadyExists'],
  M000P: [72, 'InvalidOptions'],
  M000Q: [73, 'InvalidNamespace'],
  M000R: [85, 'IndexOptionsConflict'],
  M000S: [86, 'IndexKeySpecsConflict'],
  M000U: [115, 'CommandNotSupported'],
  M000W: [146, 'ExceededMemoryLimit'],
  M000Y: [165, 'ViewDepthLimitExceeded'],
  M000Z: [166, 'CommandNotSupportedOnView'],
  M0011: [181, 'AmbiguousIndexKeyPattern'],
  M0012: [197, 'InvalidIndexSpecificationOption'],
  M0013: [224, 'QueryFeatureNotAllowed'],
  M0015: [241, 'ConversionFailure'],
  M0016: [263, 'OperationNotSupportedInTransaction'],
  M001B: [10334, 'BSONObjectTooLarge'],
  M001C: [11000, 'DuplicateKey'],
  M001D: [12587, 'BackgroundOperationInProgressForNamespace'],
  M007O: [40234, 'Location40234'],
  M007U: [40324, 'Location40324'],
  M0088: [40415, 'Location40415'],
  M00CO: [121, 'DocumentValidationFailure'],
  M00EW: [24, 'LockTimeout'],
  M00EX: [50, 'MaxTimeMSExpired'],
  M00EY: [59, 'CommandNotFound'],
  M00F1: [112, 'WriteConflict'],
  M00F4: [201, 'CannotBuildIndexKeys'],
  '0A000': [115, 'CommandNotSupported'],
  '22023': [2, 'BadValue'],
  '22P02': [9, 'FailedToParse'],
  '23505': [11000, 'DuplicateKey'],
  '23P01': [11000, 'DuplicateKey'],
  '25P02': [251, 'NoSuchTransaction'],
  '40001': [112, 'WriteConflict'],
  '40P01': [112, 'WriteConflict'],
  '42P01': [26, 'NamespaceNotFound'],
  '53100': [14031, 'OutOfDiskSpace'],
  '55P03': [112, 'WriteConflict'],
  '57014': [50, 'MaxTimeMSExpired'],
};

export interface MongoCode {
  code: number;
  codeName: string;
}

export const DUPLICATE_KEY = 11000;
export const WRITE_CONFLICT = 112;
export const NO_SUCH_TRANSACTION = 251;

export function mongoCode(sqlState: string): MongoCode {
  const [code, codeName] = CODES[sqlState] ?? [1, 'InternalError'];
  return { code, codeName };
}

/** Inside `writeErrors` DocumentDB packs a SQLSTATE six bits a character, from the low end, as character minus 48. */
export function unpackSqlState(packed: number): string {
  const characters = [0, 6, 12, 18, 24].map((shift) => String.fromCharCode(((packed >> shift) & 0x3f) + 48));
  return characters.join('');
}
