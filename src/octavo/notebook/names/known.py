"""What is known of names, functions and methods without looking at anything."""

from __future__ import annotations

import builtins
import re
import sys


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


#: Names that a later Python, another system or the kernel itself brings.
_MORE = """
BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError WindowsError aiter anext
display exit get_ipython quit
"""
BUILTINS = frozenset((*dir(builtins), *_MORE.split()))

#: What IPython keeps of earlier cells: their sources and results.
_EARLIER = re.compile(r"_{1,3}|_\d+|_i{1,3}|_i\d+|In|Out|_ih|_oh")
_KEPT = frozenset(("_dh", "_exit_code", "_sh"))
_DUNDER = re.compile(r"__\w+__")


def is_earlier(name: str) -> bool:
    """Whether IPython gives a name to what an earlier cell was or had for a result."""
    return _EARLIER.fullmatch(name) is not None


def is_given(name: str) -> bool:
    """Whether a name may be there before the first cell has run."""
    return name in BUILTINS or name in _KEPT or _DUNDER.fullmatch(name) is not None


#: Builtin functions that change none of their arguments, and hand out something new and plain.
PLAIN_FUNCTIONS = words(
    """
    abs all any ascii bin bool bytes callable chr complex dir display divmod float format hasattr
    hash help hex id input int isinstance issubclass len oct ord pow print range repr round slice
    str type
    """
)
#: Those that ask a module or an object for what it has.
LOOKING_FUNCTIONS = words("dir getattr hasattr help id isinstance print repr type")
#: Those whose result holds what they were given.
HOLDING_FUNCTIONS = words("bytearray dict frozenset list memoryview set sorted tuple")
#: Those whose result may be a part of what they were given.
PICKING_FUNCTIONS = words("getattr max min sum")
#: Those whose result is used up by reading it.
ITERATORS = words("aiter enumerate filter iter map open reversed zip")
#: Functions that change what they are given.
CHANGING_FUNCTIONS = words(
    """
    anext copyto delattr fill_diagonal heapify heappop heappush heappushpop heapreplace insort
    insort_left insort_right next place put put_along_axis putmask setattr shuffle shuffle_
    """
)

#: Methods that only look. Most are those of text, of the builtin containers, and of tables.
READERS = words(
    """
    agg aggregate all any apply argmax argmin argsort as_integer_ratio assign astype bfill
    bit_length capitalize casefold ceil center clip collect combine_first compute conj copy corr
    count cov cummax cummin cumprod cumsum decode describe diff difference dot drop_duplicates
    dropna dtypes duplicated encode endswith eq equals exists expand expanduser expandtabs explode
    fetch_df ffill fillna filter find first flatten floor format format_map ge get
    get_feature_names_out get_params glob groupby gt hasattr head hex idxmax idxmin iloc index
    infer_objects info intersection is_dir is_file isalnum isalpha isascii isdecimal isdigit
    isdisjoint isidentifier isin islower isna isnull isnumeric isprintable isspace issubset
    issuperset istitle isupper items iterrows itertuples join joinpath keys kurt last le ljust
    lower lstrip lt map mask max mean median melt memory_usage merge min mode most_common ne
    nlargest notna notnull nsmallest nunique partition pct_change pipe pivot pivot_table
    predict predict_proba prod quantile query ravel read_bytes read_text removeprefix removesuffix
    rename replace resample reset_index reshape resolve rfind rindex rjust rolling round rpartition
    rsplit rstrip sample score select select_dtypes set_index shift show skew sort_index
    sort_values split splitlines squeeze startswith std strip sum swapcase
    symmetric_difference tail title tobytes tolist translate transpose union unique unstack upper
    value_counts values var where with_columns with_name with_suffix zfill
    """
)
_READING = re.compile(r"(?:to|as|is|has)_\w+")
#: Methods that change their object, and nothing beyond it.
CHANGERS = words(
    """
    add append appendleft clear discard extend extendleft insert pop popitem popleft put remove
    reverse rotate setdefault sort subtract update write writelines
    difference_update intersection_update symmetric_difference_update
    """
)
#: Functions of modules that change the module for everybody.
MODULE_CHANGERS = words(
    """
    append basicConfig chdir clear disable enable_eager_execution extend filterwarnings insert
    manual_seed pop putenv rc reload remove resetwarnings seed set_option set_printoptions
    set_style set_theme setlocale simplefilter setdefault unsetenv update use
    """
)


def only_reads(method: str) -> bool:
    """Whether a method of this name leaves its object and its arguments as they are."""
    return method in READERS or _READING.fullmatch(method) is not None


#: Libraries whose functions leave what they are given as it is, besides those named above.
LIBRARIES = frozenset(
    (
        *sys.stdlib_module_names,
        *words("IPython altair bokeh bs4 dask httpx matplotlib networkx nltk numpy octavo pandas"),
        *words("papermill plotly polars pyarrow requests scipy scrapbook seaborn sklearn"),
        *words("spacy statsmodels sympy tqdm xarray yaml"),
    )
)

#: Reaches into the namespace of the notebook from elsewhere.
REACHING = frozenset(("_getframe", "currentframe", "f_globals", "f_locals", "user_ns"))
#: What a shell is asked for that touches no name.
HARMLESS_SHELL = words(
    """
    __class__ ast_node_interactivity ast_transformers colors config display_formatter enable_gui
    events execution_count extension_manager getoutput history_manager input_transformers_cleanup
    kernel magic magics_manager parent_header register_magic_function register_magics
    register_post_execute run_cell_magic run_line_magic set_custom_exc set_hook set_next_input
    showtraceback system
    """
)
#: Modules whose names every cell sees.
SHARED = ("builtins", "__builtins__", "__main__")
#: Calls that end the run.
ENDINGS = frozenset(("exit", "quit", "sys.exit", "os._exit", "os.abort"))
