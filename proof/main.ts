/** `npm run proof`: all proofs. With `--seed N` only that seed of what has seeds. */

import { runSuites } from '../bench/run-suites.ts'
import { agentKills } from './agent-kills.ts'
import { agentOutput } from './agent-output.ts'
import { apiRequests } from './api.ts'
import { authorityKills } from './authority-kills.ts'
import { canaries } from './canary.ts'
import { certificateMutations } from './certificate-mutations.ts'
import { choreKills } from './chore-kills.ts'
import { daemonSuites } from './daemon.ts'
import { daemonArtifacts } from './daemon-artifacts.ts'
import { daemonFaults } from './daemon-faults.ts'
import { failingCalls } from './failing-calls.ts'
import { gatewaySuites } from './gateway.ts'
import { gitKills } from './git-kills.ts'
import { gitRaces } from './git-races.ts'
import { identity } from './identity.ts'
import { installs } from './installs.ts'
import { killedReplays } from './killed-replays.ts'
import { killSuite } from './kills.ts'
import { layerStore } from './layer-store.ts'
import { loopFileFuzz } from './loop-file-fuzz.ts'
import { mergeHistories } from './merge-histories.ts'
import { policyBacktest } from './policy-backtest.ts'
import { prefixResume } from './prefix-resume.ts'
import { races } from './races.ts'
import { replays } from './replay.ts'
import { repositories } from './repositories/repositories.ts'
import { sandboxLimits } from './sandbox-limits.ts'
import { simulation } from './simulate.ts'
import { testFiles } from './test-files.ts'
import { theatre } from './theatre.ts'
import { tuneSuites } from './tune.ts'

const isReplay = process.argv.some((argument) => /^--seed\b/.test(argument))
const seeded = [simulation, loopFileFuzz, agentOutput, certificateMutations, apiRequests]
const everything = [
  ...seeded,
  ...testFiles,
  ...gatewaySuites,
  ...daemonSuites,
  daemonArtifacts,
  prefixResume,
  races,
  failingCalls,
  canaries,
  agentKills,
  replays,
  killedReplays,
  sandboxLimits,
  layerStore,
  policyBacktest,
  ...authorityKills,
  choreKills,
  ...tuneSuites,
  theatre,
  identity,
  installs,
  killSuite,
  gitRaces,
  gitKills,
  mergeHistories,
  ...daemonFaults,
  repositories,
]

process.exitCode = await runSuites('proof', isReplay ? seeded : everything)
