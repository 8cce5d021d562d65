import { runSuites } from '../bench/report.ts'
import { killSuites } from './kills.ts'
import { prefixResume } from './prefix-resume.ts'

await runSuites('proof', [prefixResume, ...killSuites()])
