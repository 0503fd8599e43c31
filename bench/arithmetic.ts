import { z } from "zod";

const schema = z.object({
  a: z.number().describe("The first length"),
  b: z.number().describe("The second length"),
  unit: z.enum(["cm", "m", "km"]).describe("The unit of both"),
});

type Lengths = z.infer<typeof schema>;

/** The one tool of the benchmark: it adds two lengths, and counts how often it does. */
export class Arithmetic {
  readonly name = "add";
  readonly description = "Adds two lengths.";
  readonly schema = schema;
  runs = 0;

  execute = ({ a, b, unit }: Lengths): string => {
    this.runs++;
    return `${a + b} ${unit}`;
  };
}
