/**
 * The modes of a tuning loop: who it is, what it aims at, and what an iteration may do. They differ in what is allowed, not only in
 * what a prompt says.
 */

export const tuneModes = ['precision', 'exploration', 'convergence', 'custom'] as const
export type TuneMode = (typeof tuneModes)[number]
