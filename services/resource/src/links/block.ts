/** Why visitors of a link get 451. */
export interface Block {
  at: Date;
  /** For the members of the workspace. */
  reason: string;
  /** Who may end it: a block for its destination ends with its cause, one of the operator does not. */
  by: 'operator' | 'destination' | 'checker';
}
