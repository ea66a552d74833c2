import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part that few users see: its script is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [Part, show] = useState(() => loaded);
    useEffect(() => {
      if (Part) return;
      void load().then((module) => {
        loaded = module.default;
        show(() => module.default);
      });
    }, []);
    return Part ? <Part {...props} /> : null;
  };
}
