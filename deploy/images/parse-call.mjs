import { parseArgs } from 'node:util';

/**
 * Parses the arguments of a script that runs before packages are installed. `--help` prints the usage and exits with 0;
 * a wrong call prints what is wrong and the usage, and exits with 2.
 * @param call `required` names the options without which the script does nothing
 */
export function parseCall({ usage, options = {}, positionals: names = [], required = () => [] }) {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: names.length > 0,
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const missing = required(values).filter((name) => values[name] === undefined);
    if (missing.length > 0) throw new Error(missing.map((name) => `--${name} is missing`).join('; '));
    if (positionals.length !== names.length) throw new Error(`expected ${names.join(' and ')}`);
    return { values, positionals };
  } catch (error) {
    return failCall(usage, messageOf(error));
  }
}

/** An argument in the wrong place may be a URL with a password: shows no more of it than a name. */
function messageOf({ code, message }) {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'unexpected argument; each value follows its option';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.replace(/('-{1,2}[-\w]*)[^-\w'].*/s, "$1…'");
  return message;
}

/**
 * Exits with 2 if the option is not a URL with one of these schemes. Prints only its name: the URL may hold a password.
 * @param call `needsPath` if the URL must have a path
 */
export function checkUrl({ usage, values, name, schemes, needsPath = false }) {
  const text = values[name];
  if (text === undefined) return;
  const url = parseUrl(text);
  if (!url || url.hostname === '' || !schemes.includes(`${url.protocol}//`))
    failCall(usage, `--${name} must be a URL that starts with ${schemes.join(' or ')}`);
  if (needsPath && url.pathname.length < 2) failCall(usage, `--${name} must end with a virtual host: /NAME`);
}

function parseUrl(text) {
  try {
    const url = new URL(text);
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return null;
  }
}

export function failCall(usage, message) {
  console.error(`error: ${message}\n${usage}`);
  process.exit(2);
}
