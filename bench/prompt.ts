/**
 * What it costs to write one prompt from a megabyte of sections: templates rendered, tokens
 * estimated, and what does not fit cut.
 */

import { createPrompt, type PromptSection } from '#src/loops/index.ts'
import { atMost, median, type Suite } from './report.ts'
import { randomText } from './workload.ts'

const rounds = 21
const chars = 1_000_000
const sections = 20

/** Prose, code, a log and encoded bytes by turns. */
const kinds: readonly ((index: number) => string)[] = [
  (index) => `The checks passed in iteration ${index}, and nobody had to be asked. `,
  (index) => `  if (items[${index}]?.status !== 'done') return await retry(items, ${index})\n`,
  (index) => `2026-11-15T12:00:00Z [info] request ${randomText(index, 12)} took ${index} ms\n`,
  (index) => `${randomText(index, 76)}\n`,
]

function textOf(section: number): string {
  const make = kinds[section % kinds.length]
  const parts: string[] = []
  for (let length = 0, index = 0; make !== undefined && length < chars / sections; index++) {
    const part = make(index)
    parts.push(part)
    length += part.length
  }
  return parts.join('')
}

const input = Object.fromEntries(
  Array.from({ length: sections }, (_, index) => [`text_${index}`, textOf(index)]),
)

const prompt: readonly PromptSection[] = Array.from({ length: sections }, (_, index) => ({
  name: `section-${index}`,
  text: `# Part ${index}\n{{ input.text_${index} }}\n`,
  priority: index % 5,
  stable: index % 7 === 0,
  keep: index % 2 === 0 ? 'start' : 'end',
}))

const moment = {
  iteration: 1,
  workspace: '/work',
  remaining: { iterations: 50, tokens: 2_000_000, costMicros: 5_000_000, timeMs: 3_600_000 },
}

export const promptAssembly: Suite = {
  area: 'loops',
  title: 'a prompt from a megabyte of sections',
  async run({ scale }) {
    const { write } = await createPrompt(prompt)
    const measure = (tokensMax: number): { ms: number; detail: string } => {
      const times: number[] = []
      let detail = ''
      for (let round = -3; round < Math.max(3, rounds * scale); round++) {
        const beganMs = performance.now()
        const made = write({ input, previous: undefined }, moment, tokensMax)
        const ms = performance.now() - beganMs
        detail = `${made.tokens} tokens, ${made.cuts.length} sections cut`
        // The first rounds warm it up.
        if (round >= 0) times.push(ms)
      }
      return { ms: median(times), detail }
    }
    const cut = measure(100_000)
    const whole = measure(2_000_000)
    return [
      atMost('loops.prompt-assembly', whole.ms, 50, 'ms', whole.detail),
      atMost('loops.prompt-assembly-cut', cut.ms, 50, 'ms', cut.detail),
    ]
  },
}
