// F16 with real processes, a small share of the proof: the daemon is killed around an answer and around actions.

import { expect, test } from 'vitest'
import { runAuthorityKills } from '../../build/proof/authority-kills.js'

const caseMsMax = 300_000
const options = { scale: 0, note: () => undefined }

test(
  'two clients answer, the daemon is killed, and one answer is applied',
  async () => {
    const { cases, findings } = await runAuthorityKills(['asking'], options)
    expect([cases, findings]).toEqual([1, []])
  },
  caseMsMax,
)

test(
  'the daemon is killed around an action, and it happens once',
  async () => {
    const { cases, findings } = await runAuthorityKills(['appending', 'blind', 'merging'], options)
    expect([cases, findings]).toEqual([3, []])
  },
  caseMsMax,
)
