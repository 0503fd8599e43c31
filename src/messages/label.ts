/** A step's label as data. It is rendered by language (see the catalogue) and never parsed back. */
export interface StepLabel {
  /** The step's name as the workflow declares it. */
  readonly step: string;
  /** From 2: sent back by a gate, same session. */
  readonly round?: number;
  /** From 1: started again from nothing. */
  readonly retry?: number;
  /** From 1: the judge's run after round N. */
  readonly judge?: number;
}
