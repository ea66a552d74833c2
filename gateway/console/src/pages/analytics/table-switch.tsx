import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

/** Changes between a chart and the table of its figures. */
export function TableSwitch({ isTable, onChange }: { isTable: boolean; onChange: (isTable: boolean) => void }) {
  return (
    <button type="button" class="button quiet small" onClick={() => onChange(!isTable)}>
      <Icon name={isTable ? 'chart' : 'table'} />
      {isTable ? t.charts.asChart : t.charts.asTable}
    </button>
  );
}
