import type { ComponentChildren } from 'preact';
import type { Name, Values } from './form-values.js';

/** What the parts of the form share. */
export interface FormFields {
  /** With the edits. */
  values: Values;
  isReadOnly: boolean;
  edit: (name: Name, value: string) => void;
  /** Says beside the label that the field was edited. */
  noteOf: (name: Name) => ComponentChildren;
  /** What the API says about the field. */
  problemOf: (name: Name) => string | undefined;
  /** Whether one of the fields has a problem or an edit. */
  isNeeded: (names: readonly Name[]) => boolean;
}
