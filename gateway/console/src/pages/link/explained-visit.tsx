import type { Explanation } from '../../api/explain.js';
import { Icon } from '../../components/icon.js';
import { visits } from '../../messages/visits.js';

const words = visits.check;

/** What a visitor gets, and the steps that lead to it. */
export function ExplainedVisit({ explanation }: { explanation: Explanation }) {
  const { steps, parameters } = explanation;
  return (
    <div class="explained">
      <Answer explanation={explanation} />
      <h3>{words.steps}</h3>
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={step.step}>
            <Icon name={index < steps.length - 1 || leads(explanation) ? 'check' : 'close'} />
            <span class="label">{words.names[step.step] ?? step.step}</span>
            <span>{textOf(step)}</span>
          </li>
        ))}
      </ol>
      {parameters.length > 0 && <Parameters parameters={parameters} />}
    </div>
  );
}

/** Whether the visitor comes to the destination. */
const leads = ({ steps, location }: Explanation): boolean => location !== null && steps.at(-1)?.step === 'query';

/** A result that this version of the console does not know is explained by the API, in English. */
const textOf = ({ step, result, because }: Explanation['steps'][number]): string =>
  words.results[step]?.[result] ?? because;

function Answer({ explanation }: { explanation: Explanation }) {
  const { status, location, steps, scan } = explanation;
  const last = steps.at(-1);
  const reason = leads(explanation) || !last ? '' : textOf(last);
  const kind = leads(explanation) ? 'ok' : 'warn';
  return (
    <div class={`notice ${kind}`}>
      <Icon name={kind === 'ok' ? 'check' : 'warning'} />
      <div class="text">
        <p>
          <strong>{location === null ? `${status}: ${reason}` : `${status} → ${location}`}</strong>
          {location !== null && reason !== '' && ` (${reason})`}
        </p>
        <p>
          {!leads(explanation) ? words.notCounted : scan.is_bot ? words.countedBot : words.counted}{' '}
          {scan.bot_pattern !== null && words.botPattern(scan.bot_pattern)}
        </p>
      </div>
    </div>
  );
}

function Parameters({ parameters }: Pick<Explanation, 'parameters'>) {
  return (
    <table class="parameters">
      <caption>{words.parameters}</caption>
      <thead>
        <tr>
          <th scope="col">{words.columns.name}</th>
          <th scope="col">{words.columns.value}</th>
          <th scope="col">{words.columns.from}</th>
        </tr>
      </thead>
      <tbody>
        {parameters.map(({ name, value, from }, index) => (
          <tr key={index}>
            <td>{name}</td>
            <td>{value}</td>
            <td>{words.from[from] ?? from}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
