import { reclassifyScans } from './reclassify-command.js';
import { checkWarehouse, listSetAside, repairWarehouse, retrySetAside } from './warehouse-commands.js';

export const COMMANDS = {
  reclassify: reclassifyScans,
  'warehouse check': checkWarehouse,
  'warehouse repair': repairWarehouse,
  'warehouse set-aside list': listSetAside,
  'warehouse set-aside retry': retrySetAside,
};
