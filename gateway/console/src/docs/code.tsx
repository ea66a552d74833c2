import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../components/copy-text.js';
import { Icon } from '../components/icon.js';
import { CLIENT_PATH, installCommand, LANGUAGES, sampleOf, type Language, type Sample } from './samples.js';
import { chooseLanguage, language } from './state.js';

interface CodeProps {
  /** Names the code for assistive technology, and its button. */
  label: string;
  text: string;
  head?: ComponentChildren;
}

/** Code with a button to copy it. */
export function Code({ label, text, head = label }: CodeProps) {
  const [copied, setCopied] = useState('');
  const isCopied = copied === text;
  return (
    <div class="code">
      <div class="code-head">
        <span>{head}</span>
        <button
          type="button"
          class="button quiet small"
          aria-label={isCopied ? `Copied: ${label}` : `Copy: ${label}`}
          onClick={() => void copyText(text).then((isDone) => isDone && setCopied(text))}
        >
          <Icon name={isCopied ? 'check' : 'copy'} />
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** The request as a program, in the chosen language. */
export function Samples(sample: Sample) {
  return <Program label={sample.operation.summary} textOf={(chosen) => sampleOf(chosen, sample)} />;
}

/** A program in the chosen language. */
export function Program({ label, textOf }: { label: string; textOf: (chosen: Language) => string }) {
  const languages = Object.entries(LANGUAGES) as [Language, string][];
  return (
    <Code
      label={`${LANGUAGES[language.value]}: ${label}`}
      text={textOf(language.value)}
      head={
        <>
          <span class="segments" role="group" aria-label="Language of the samples">
            {languages.map(([name, label]) => (
              <button type="button" aria-pressed={language.value === name} onClick={() => chooseLanguage(name)}>
                {label}
              </button>
            ))}
          </span>
          {language.value === 'typescript' && (
            <a href={CLIENT_PATH} title={installCommand(location.origin)}>
              The client
            </a>
          )}
        </>
      }
    />
  );
}
