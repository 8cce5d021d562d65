import { absolute } from './absolute.ts'
import { comparePeers } from './compare-peers.ts'
import { flat } from './flat.ts'
import { groupCommit } from './group-commit.ts'
import { memory } from './memory.ts'
import { runSuites } from './report.ts'
import { resume } from './resume.ts'
import { stepCost } from './step-cost.ts'

await runSuites('bench', [stepCost, groupCommit, flat, resume, absolute, memory, comparePeers])
