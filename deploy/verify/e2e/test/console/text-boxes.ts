import type { Page } from 'playwright-core';

/**
 * Lists the texts of the page that a box cuts, that lie outside the window, or that cover another text of the same layer. A
 * text that ends with an ellipsis, or that can be scrolled to, is not cut.
 */
export const findUnreadableTexts = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${find})()`);

const find = `() => {
  const MARGIN = 2;
  const LEFT_OUT = '.visually-hidden, .skip-link, svg, option, .tags';
  const texts = [];
  const problems = [];
  const isScrolled = (overflow) => overflow === 'auto' || overflow === 'scroll';
  const walker = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (node.data.trim() === '' || !isShown || element.closest(LEFT_OUT)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let [left, top, right, bottom] = [-Infinity, -Infinity, Infinity, Infinity];
    let layer = document.body;
    let canScroll = false;
    const box = range.getBoundingClientRect();
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      const { overflowX, overflowY, textOverflow, position } = getComputedStyle(each);
      const edge = each.getBoundingClientRect();
      if (isScrolled(overflowX) || isScrolled(overflowY)) {
        canScroll = true;
        break;
      }
      if (overflowY === 'hidden' && box.bottom > edge.bottom + MARGIN) problems.push('cut below: ' + node.data);
      if (overflowX === 'hidden') {
        if (textOverflow !== 'ellipsis' && box.right > edge.right + MARGIN) problems.push('cut: ' + node.data);
        right = Math.min(right, edge.right);
      }
      if (position === 'fixed' || position === 'sticky') {
        layer = each;
        break;
      }
    }
    if (canScroll) continue;
    if (Math.min(box.right, right) > innerWidth + MARGIN || box.left < -MARGIN) problems.push('outside: ' + node.data);
    for (const line of range.getClientRects()) {
      texts.push({ text: node.data, layer, left: line.left, top: line.top, right: Math.min(line.right, right), bottom: line.bottom });
    }
  }
  texts.forEach((one, index) => {
    for (const other of texts.slice(index + 1)) {
      if (one.layer !== other.layer || one.text === other.text) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (width > MARGIN && height > MARGIN * 3) problems.push(one.text + ' covers ' + other.text);
    }
  });
  return [...new Set(problems)];
}`;
