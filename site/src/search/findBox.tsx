// Shows the small search box in the masthead of all pages but Search.

/** The box; Enter searches purposes. */
export function FindBox() {
  return (
    <form action="/">
      <label class="hidden" for="box">
        Purpose, funder name, or EIN
      </label>
      <input
        class="field"
        id="box"
        name="purpose"
        type="search"
        placeholder="Purpose, funder name, or EIN"
        required
      />
    </form>
  );
}
