/** The kinds of checks that can be run. A new one is a file here, and one line below. */

import type { CheckSettings } from '../../../protocol/index.ts'
import type { CheckRunner } from '../check-runner.ts'
import type { ResolvedCheck } from '../resolved-check.ts'
import { commandKind } from './command.ts'
import { conditionKind } from './condition.ts'
import { judgeKind } from './judge.ts'
import { toolKind } from './tool.ts'

const kinds: Readonly<Record<(CheckSettings | ResolvedCheck)['type'], CheckRunner>> = {
  command: commandKind,
  condition: conditionKind,
  standard: conditionKind,
  tool: toolKind,
  judge: judgeKind,
}

export const checkKind = ({ type }: CheckSettings | ResolvedCheck): CheckRunner => kinds[type]
