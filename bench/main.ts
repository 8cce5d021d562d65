import { absolute } from './absolute.ts'
import { besideGnhf } from './beside-gnhf.ts'
import { calibrateDemo, standardConditions } from './calibrate.ts'
import { certificationCost } from './certification-cost.ts'
import { certifyOverhead } from './certify.ts'
import { checkReuse } from './check-reuse.ts'
import { cliStart } from './cli-start.ts'
import { comparePeers } from './compare-peers.ts'
import { daemonDelivery } from './daemon-delivery.ts'
import { daemonLive } from './daemon-live.ts'
import { daemonReads } from './daemon-reads.ts'
import { dashboard } from './dashboard.ts'
import { dashboardLive } from './dashboard-live.ts'
import { flat } from './flat.ts'
import { gateway } from './gateway.ts'
import { groupCommit } from './group-commit.ts'
import { iterationFlat, iterationOverhead } from './iteration-overhead.ts'
import { commandMemory, memory } from './memory.ts'
import { policyDecision, policyStep } from './policy.ts'
import { promptAssembly } from './prompt.ts'
import { readSets } from './read-sets.ts'
import { repair } from './repair.ts'
import { resume } from './resume.ts'
import { roundInWorktree, roundReport } from './rounds.ts'
import { runSuites } from './run-suites.ts'
import { sandboxRelay } from './sandbox-relay.ts'
import { sandboxStart } from './sandbox-start.ts'
import { schedulesIdle, scheduleTick } from './schedules.ts'
import { stepCost } from './step-cost.ts'
import { toolCall } from './tool-call.ts'
import { tuneCommand, tuneReuse } from './tune.ts'
import { verifyCertificates } from './verify.ts'
import { worktreeReady, worktreeTrees } from './worktree.ts'

process.exitCode = await runSuites('bench', [
  stepCost,
  groupCommit,
  flat,
  resume,
  absolute,
  memory,
  commandMemory,
  sandboxStart,
  sandboxRelay,
  cliStart,
  toolCall,
  tuneCommand,
  tuneReuse,
  checkReuse,
  comparePeers,
  promptAssembly,
  policyDecision,
  policyStep,
  gateway,
  worktreeReady,
  worktreeTrees,
  iterationOverhead,
  iterationFlat,
  besideGnhf,
  daemonReads,
  daemonLive,
  daemonDelivery,
  dashboard,
  dashboardLive,
  certifyOverhead,
  certificationCost,
  roundReport,
  roundInWorktree,
  schedulesIdle,
  scheduleTick,
  verifyCertificates,
  readSets,
  repair,
  calibrateDemo,
  standardConditions,
])
