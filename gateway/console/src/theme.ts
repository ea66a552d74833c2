import { applyTheme, readTheme } from './frame/theme-choice.js';

// Runs before the first paint: a page in the wrong theme would flash.
applyTheme(readTheme());
