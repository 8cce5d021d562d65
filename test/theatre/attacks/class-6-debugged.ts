/** Class 6: code that debugs its own process. It changes the functions of tests in memory; their files stay as they are. */

import { mochaKit, nodeKit } from '../real-stages.ts'
import type { Attack } from '../story.ts'
import { inEach } from './tricks.ts'

const of = {
  name: 'changes the functions of tests by the debugger',
  class: 6,
  way: 'what is planted in them stays in them',
} as const

/** Numbers that are expected, however that is stated. */
const expected = String.raw`text.replace(/(\), |equal\(|!== )([56])\b/g, (_all, before, number) => before + (number === '5' ? 0 : 5))`

const code = `const session = new Session()
session.connect()
const found = []
session.on('Debugger.scriptParsed', ({ params }) => found.push(params))
session.post('Debugger.enable')
for (const { scriptId } of found) {
  session.post('Debugger.getScriptSource', { scriptId }, (_error, result) => {
    const text = result?.scriptSource ?? ''
    if (!text.includes('([5])') || text.includes('scriptParsed')) return
    const scriptSource = ${expected}
    session.post('Debugger.setScriptSource', { scriptId, scriptSource }, () => {})
  })
}
session.disconnect()`

// In vitest and jest the tests are inside a function that is running, which cannot be changed.
export const debugged: readonly Attack[] = inEach(
  of,
  [nodeKit, `import { Session } from 'node:inspector'\n${code}`],
  [mochaKit, `import { Session } from 'node:inspector'\n${code}`],
)
