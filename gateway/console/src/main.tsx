import { render } from 'preact';
import { App } from './app/app.js';

render(<App />, document.querySelector('#app')!);
