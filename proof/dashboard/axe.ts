/** What axe finds on a page. */

import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

const charsMax = 400

/** The serious and critical violations, as text. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  // The policy of the page allows no foreign script, so it is evaluated by the debugger.
  await page.evaluate(axe.source)
  const found = await page.evaluate<readonly Violation[]>('axe.run().then((it) => it.violations)')
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, charsMax))
}
