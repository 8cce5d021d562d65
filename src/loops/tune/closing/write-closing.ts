/** The end of `LOOP.md`: checklists, what is handed over, and what is left. Pure. */

import type { LogEntry } from '../report/log-entry.ts'
import { oneLine } from '../report/one-line.ts'
import type { Ended } from '../tune-state.ts'
import type { Closing } from './summarize.ts'
import type { WalkedCase } from './walk-through.ts'

export const writeClosing = (
  ended: Ended,
  closing: Closing,
  walked: readonly WalkedCase[],
  log: readonly LogEntry[],
): string =>
  [
    '## Composer summary',
    bullets(
      log.flatMap((entry) =>
        entry.type === 'composer-analysis'
          ? [`Iteration ${entry.iteration}: ${entry.rootCause}`]
          : [],
      ),
    ),
    '## Insights',
    bullets(log.flatMap((entry) => (entry.type === 'insight' ? [entry.text] : []))),
    '## Walk-through',
    '<!-- WALKTHROUGH RESULTS -->',
    bullets(walked.map(({ id, decision }) => `${id}: ${decision}`)),
    '## Checklists',
    closing.checkpoints
      .map(
        ({ name, isMet, detail }) =>
          `- [${isMet ? 'x' : ' '}] ${oneLine(name)} (${oneLine(detail)})`,
      )
      .join('\n'),
    '## Directives',
    bullets(closing.directives),
    '## Delegations',
    bullets(closing.delegations),
    '## Side discoveries',
    bullets(closing.discoveries),
    '## Alerts',
    bullets(closing.alerts),
    '## Leftover work',
    bullets(closing.leftover),
    '## Passing cases',
    bullets(ended.incumbent.passing.slice(0, 50)),
    '## Tags',
    closing.tags.join(' ') || 'None.',
    '## Next',
    closing.next
      .map(({ command, why }) => `- \`${oneLine(command).replaceAll('`', "'")}\`: ${why}`)
      .join('\n'),
    '',
  ].join('\n\n')

const bullets = (items: readonly string[]): string =>
  items.length === 0 ? 'None.' : items.map((item) => `- ${oneLine(item)}`).join('\n')
