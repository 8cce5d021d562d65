/** Simulates the loops, candidates and searches it is given. */

import { type Job, perform } from './tune/jobs.ts'

process.on('message', (job: Job) => void process.send?.(perform(job)))
