import { render } from 'preact';
import { App } from './app/app.js';
import { showUnexpectedErrors } from './app/unexpected-errors.js';
import { Part } from './components/boundary.js';

showUnexpectedErrors();
render(
  <Part>
    <App />
  </Part>,
  document.querySelector('#app')!,
);
