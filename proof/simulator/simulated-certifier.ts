/**
 * A certifier that looks at the files themselves, and notes for which it made a certificate. What it
 * answers depends on them and on the iteration: mostly yes; else no, a question, or an error.
 */

import type { Certification, Certifier, Subject } from '#src/engine/index.ts'
import { FaultError } from '#src/loop/index.ts'
import { certificateId } from '#src/testing/fake-certifier.ts'
import { digest, mix } from './program.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

const moods = ['yes', 'yes', 'yes', 'yes', 'no', 'asks', 'fails', 'spends'] as const

export function simulatedCertifier(
  world: SimulatedWorld,
  process: SimulatedProcess,
  { program, files }: SimulatedRun,
): Certifier {
  return {
    async certify(subject, context) {
      const tree = files?.tree()
      const number = mix(digest(tree), subject.iteration)
      const mood = moods[number % moods.length]
      await process.clock.sleep(number % 500, context.signal)
      if (mood === 'no') return refused('the mood')
      if (mood === 'fails') {
        throw new FaultError({ code: 'certifier', message: 'it broke', retryable: false })
      }
      // People, and what a crash makes of a reservation, have no say where all must come out the same.
      if (mood === 'asks' && !program.exact) return askedFirst(subject, () => issue(subject))
      if (mood === 'spends' && !program.exact) {
        const call = await context.reserve({ tokens: 5, costMicros: 50 })
        await call.settle({ tokens: 3, costMicros: 30 })
      }
      return issue(subject)
    },
  }

  function issue(subject: Subject): Certification {
    const certificate = certificateId(subject)
    if (process.lane.state === 'running') world.issued.set(certificate, files?.tree())
    return { type: 'certified', certificate }
  }
}

const refused = (message: string): Certification => ({
  type: 'refused',
  refusals: [{ code: 'rejected', message }],
})

function askedFirst({ answers }: Subject, issue: () => Certification): Certification {
  const answer = answers.at(-1)?.answer
  if (answer === 'yes') return issue()
  if (answer === 'no') return refused('a person')
  const question = {
    text: 'Is it?',
    options: ['no', 'again', 'yes'],
    default: 'no',
    deadlineMs: 5000,
  }
  return { type: 'asks', key: 'sealed', question }
}
