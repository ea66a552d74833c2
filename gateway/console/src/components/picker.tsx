import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { Problem } from './field.js';
import { FailureText } from './notice.js';
import { Icon, type IconName } from './icon.js';
import { usePopup } from './popup.js';
import { useTask } from './task.js';

export interface Choice {
  id: string;
  name: string;
}

export interface PickerProps {
  /** The name of the button for people who do not see it; its text if absent. */
  label?: string;
  /** The ids of the elements that name the button together. */
  labelledBy?: string;
  button: ComponentChildren;
  class?: string;
  align?: 'start' | 'up';
  isDisabled?: boolean;
  /** Undefined until the list has come. */
  choices: readonly Choice[] | undefined;
  chosen: readonly string[];
  /** Several can be chosen at a time, and the list stays open. */
  isMultiple?: boolean;
  /** Shown in place of the choices that are not there, e.g. since they could not be loaded. */
  note: string;
  onOpen?: () => void;
  onChoose: (id: string) => void;
  /** Creates a choice of the typed name, and chooses it. */
  create?: { text: (name: string) => string; run: (name: string) => Promise<unknown> } | undefined;
}

/**
 * A button that opens a list with a field to filter it (the combobox of the ARIA practices). The focus stays in the field, so
 * that a list that comes late cannot lose it.
 */
export function Picker({ label, labelledBy, button, class: className = 'button', isDisabled, ...list }: PickerProps) {
  const { isOpen, setOpen, close, anchor, trigger } = usePopup();
  return (
    <div class="anchor" ref={anchor}>
      <button
        ref={trigger}
        type="button"
        class={className}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-label={label}
        aria-labelledby={labelledBy}
        title={label}
        disabled={isDisabled}
        onClick={() => {
          if (!isOpen) list.onOpen?.();
          setOpen(!isOpen);
        }}
      >
        {button}
      </button>
      {isOpen && <Popup {...list} onClose={close} />}
    </div>
  );
}

/** Letters are found without their marks, and in either case. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase().trim();

type PopupProps = Omit<PickerProps, 'label' | 'button' | 'class'> & { onClose: () => void };

function Popup({ align = 'start', choices, chosen, isMultiple, note, onChoose, create, onClose }: PopupProps) {
  const id = useId();
  const [typed, type] = useState('');
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const wanted = plain(typed);
  const found = choices?.filter(({ name }) => plain(name).includes(wanted)) ?? [];
  const isNew = create && choices && wanted !== '' && !found.some(({ name }) => plain(name) === wanted);
  const creation = useTask(async () => {
    await create!.run(typed.trim());
    type('');
    if (!isMultiple) onClose();
  });
  const options: { key: string; icon?: IconName; text: string; select: () => void }[] = found.map((choice) => ({
    key: choice.id,
    text: choice.name,
    select: () => {
      onChoose(choice.id);
      if (!isMultiple) onClose();
    },
  }));
  if (isNew) {
    options.push({ key: '', icon: 'plus', text: create.text(typed.trim()), select: () => void creation.start() });
  }
  const current = Math.min(active, options.length - 1);
  // At once: a key that is pressed in the same frame must not reach another element.
  useLayoutEffect(() => field.current!.focus(), []);
  useLayoutEffect(() => document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' }), [current]);
  const onKeyDown = (event: KeyboardEvent) => {
    const last = options.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: current < last ? current + 1 : 0,
      ArrowUp: current > 0 ? current - 1 : last,
      Home: 0,
      End: last,
    };
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter') options[current]?.select();
    else if (event.key in moves) setActive(Math.max(moves[event.key]!, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`menu picker ${align}`} onKeyDown={onKeyDown}>
      <input
        ref={field}
        class="input"
        role="combobox"
        aria-label={t.picker.filter}
        placeholder={t.picker.filter}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={options.length > 0 ? `${id}-${current}` : undefined}
        value={typed}
        maxLength={100}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          type(event.currentTarget.value);
          setActive(0);
        }}
      />
      <div id={id} role="listbox" aria-label={t.picker.choices} aria-multiselectable={isMultiple}>
        {options.map(({ key, icon, text, select }, index) => (
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            class={index === current ? 'active' : undefined}
            aria-selected={chosen.includes(key)}
            onMouseMove={() => setActive(index)}
            // The focus stays in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={select}
          >
            {icon && <Icon name={icon} />}
            <span>{text}</span>
            {chosen.includes(key) && <Icon name="check" />}
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {options.length === 0 && (choices?.length ? t.picker.none : note)}
      </p>
      {creation.failure && (
        <Problem text={creation.failure.firstProblem ?? <FailureText failure={creation.failure} />} />
      )}
    </div>
  );
}
