import { render } from 'preact';
import { Part } from './components/boundary.js';
import { App } from './frame/app.js';
import { showUnexpectedErrors } from './frame/unexpected-errors.js';

showUnexpectedErrors();
render(
  <Part>
    <App />
  </Part>,
  document.querySelector('#app')!,
);
