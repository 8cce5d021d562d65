/** What each part of a run gets. */

import type { RunDetail } from '../../../../client/browser.ts'

export interface TabProps {
  readonly detail: RunDetail
}
