import { useId } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface TabsProps {
  label: string;
  tabs: readonly { id: string; text: string }[];
  current: string;
  onChange: (id: string) => void;
  children: ComponentChildren;
  foot?: ComponentChildren;
}

/** A panel that shows one of several contents; the arrow keys move between its tabs. */
export function TabPanel({ label, tabs, current, onChange, children, foot }: TabsProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const index = tabs.findIndex((tab) => tab.id === current);
    const targets: Record<string, number> = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange(tabs[target]!.id);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[target]!.focus();
  };
  return (
    <section class="panel">
      <h2 class="visually-hidden">{label}</h2>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
      {foot && <div class="panel-foot">{foot}</div>}
    </section>
  );
}
