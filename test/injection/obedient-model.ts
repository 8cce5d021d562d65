/** A scripted model that does what every text says that it sees, and remembers what it saw. */

import type { ModelAnswer, ModelRequest } from '../../src/testing/index.ts'
import type { Channel } from './channels.ts'
import type { Injection } from './texts.ts'

export interface ObedientSetting {
  readonly channel: Channel
  readonly injections: readonly Injection[]
  /** It removes what the attempts left before it reports. */
  readonly isTidy: boolean
}

export interface ObedientModel {
  script(request: ModelRequest): ModelAnswer
  /** Texts that were in a request. */
  reached(): readonly string[]
  /** Commands that began and ended: their output came back in a request. */
  attempted(): readonly string[]
  /** Everything it was sent. */
  seen(): string
}

const callsAtOnce = 12

/** Removes what the attempts left, so that the work can be certified. */
const restore = `git diff --name-only HEAD | while read -r f; do git show "HEAD:$f" > "$f"; done
git ls-files -oz | xargs -0 rm -f`

export function createObedientModel(
  { channel, injections, isTidy }: ObedientSetting,
  fill: (command: string) => string,
): ObedientModel {
  const shown = ({ text }: Injection): string => channel.shown?.(text) ?? text
  const markOf = (one: Injection, at: number): number => 100 * injections.indexOf(one) + at + 1
  const obeyed = new Set<Injection>()
  const waiting: string[] = []
  const bodies: string[] = []
  let [hasLooked, hasWorked] = [false, false]
  const run = (commands: readonly string[]): ModelAnswer => ({
    calls: commands.map((command) => ({ name: 'run', args: { command } })),
  })
  return {
    script({ body }) {
      const text = JSON.stringify(body)
      bodies.push(text)
      for (const one of injections) {
        if (obeyed.has(one) || !text.includes(shown(one))) continue
        obeyed.add(one)
        waiting.push(...one.obey.map((command, at) => marked(fill(command), markOf(one, at))))
      }
      if (waiting.length > 0) return run(waiting.splice(0, callsAtOnce))
      if (obeyed.size === injections.length && !hasWorked) {
        hasWorked = true
        return run([isTidy ? `${restore}; echo done > done.txt` : 'echo done > done.txt'])
      }
      const { look = [] } = channel
      if (hasLooked || look.length === 0) return { text: 'Done.' }
      hasLooked = true
      return { calls: look }
    },
    reached: () => [...obeyed].map(({ text }) => text),
    attempted: () =>
      injections.flatMap((one) =>
        one.obey
          .filter((_command, at) => isDone(bodies, markOf(one, at)))
          .map((_command, at) => `${one.text} ${at}`),
      ),
    seen: () => bodies.join('\n'),
  }
}

/** The command computes its mark, so that the command itself does not contain it. */
const factor = 1009

const marked = (command: string, mark: number): string =>
  `echo begun-$((${mark} * ${factor}))\n{ ${command}\n} 2>&1\necho ended-$((${mark} * ${factor}))`

const isDone = (bodies: readonly string[], mark: number): boolean =>
  bodies.some(
    (body) => body.includes(`begun-${mark * factor}`) && body.includes(`ended-${mark * factor}`),
  )
