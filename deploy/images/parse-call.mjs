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
    return failCall(usage, error.message);
  }
}

/** Ends the program over an option that is no such URL. Prints only its name: the URL may hold a password. */
export function checkUrl({ usage, values, name, schemes }) {
  const text = values[name];
  if (text !== undefined && !isUrl(text, schemes))
    failCall(usage, `--${name} must be a URL that starts with ${schemes.join(' or ')}`);
}

function isUrl(text, schemes) {
  try {
    const { protocol, hostname, pathname } = new URL(text);
    decodeURIComponent(pathname);
    return hostname !== '' && schemes.includes(`${protocol}//`);
  } catch {
    return false;
  }
}

export function failCall(usage, message) {
  console.error(`error: ${message}\n${usage}`);
  process.exit(2);
}
