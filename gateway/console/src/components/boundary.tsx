import { Component, type ComponentChildren } from 'preact';
import { reportHandled } from '../api/handled-errors.js';
import { t } from '../messages/messages.js';
import { Notice } from './notice.js';
import { Page } from './page.js';

interface BoundaryProps {
  children: ComponentChildren;
}

/** Replaces a part that throws while it is drawn or in an effect, so that everything around the part stays usable. */
export class Part extends Component<BoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static override getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: unknown): void {
    reportHandled(error);
  }

  override render() {
    return this.state.isBroken ? this.renderBroken() : this.props.children;
  }

  protected renderBroken(): ComponentChildren {
    return <Broken />;
  }
}

/** The same for a whole page, which keeps its heading. */
export class PagePart extends Part {
  protected override renderBroken(): ComponentChildren {
    return <BrokenPage />;
  }
}

export function BrokenPage() {
  return (
    <Page title={t.broken.page}>
      <Broken />
    </Page>
  );
}

function Broken() {
  return (
    <Notice
      kind="danger"
      icon="alert"
      role="alert"
      action={
        <button type="button" class="button small" onClick={() => location.reload()}>
          {t.broken.reload}
        </button>
      }
    >
      {t.broken.part}
    </Notice>
  );
}
