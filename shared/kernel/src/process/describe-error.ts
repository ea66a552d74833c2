const MESSAGE_MAX = 2000;
const STACK_MAX = 8000;

interface ErrorDescription {
  type: string;
  message: string;
  stack?: string;
  code?: unknown;
  codeName?: unknown;
  errorLabels?: unknown;
  cause?: ErrorDescription;
}

/**
 * Describes an error and its cause in the log. Other properties are left out: a failed bulk write carries all of its
 * documents, and the secrets in them.
 */
export function describeError(error: unknown): ErrorDescription {
  const description = describe(error);
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause === undefined || cause === null ? description : { ...description, cause: describe(cause) };
}

function describe(error: unknown): ErrorDescription {
  if (typeof error !== 'object' || error === null)
    return { type: typeof error, message: cut(String(error), MESSAGE_MAX) };
  const { constructor, message, stack, code, codeName, errorLabels } = error as Partial<Record<string, unknown>>;
  return {
    type: typeof constructor === 'function' ? constructor.name : 'object',
    message: typeof message === 'string' ? cut(message, MESSAGE_MAX) : '',
    ...(typeof stack === 'string' && { stack: cut(stack, STACK_MAX) }),
    ...(isShort(code) && { code }),
    ...(isShort(codeName) && { codeName }),
    ...(Array.isArray(errorLabels) &&
      errorLabels.length > 0 && { errorLabels: errorLabels.filter(isShort).slice(0, 10) }),
  };
}

const cut = (text: string, max: number): string => text.slice(0, max);
const isShort = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 100);
