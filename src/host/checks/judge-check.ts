/**
 * A check that is a judge: an agent that may only read and answers in a schema. Whatever else it says is
 * unclear, and unclear is no pass.
 */

import type { Check } from '../../engine/index.ts'
import { LoopError } from '../../loop/index.ts'
import type { JudgeCheckSettings } from '../../protocol/index.ts'

export const judgeCheck =
  (name: string, _settings: JudgeCheckSettings): Check =>
  async () => {
    const message = `The check ${name} is a judge. Write it as a command: { run: … }.`
    throw new LoopError('not-available', message)
  }
