import { runSuites } from '../bench/report.ts'
import { failingCalls } from './failing-calls.ts'
import { killSuites } from './kills.ts'
import { prefixResume } from './prefix-resume.ts'
import { races } from './races.ts'

await runSuites('proof', [prefixResume, races, failingCalls, ...killSuites()])
